package mx2onnx

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
)

// typeOf is the name of a method's receiver.
func typeOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	kind := f.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	return kind.(*ast.Ident).Name
}

// without returns the exported functions, methods and types of a file that have no comment, and constants and variables without a
// type whose comment could speak for them.
func without(file *ast.File) []string {
	var found []string
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			receiver := typeOf(d)
			if d.Name.IsExported() && (receiver == "" || ast.IsExported(receiver)) && d.Doc == nil {
				found = append(found, strings.TrimPrefix(receiver+"."+d.Name.Name, "."))
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
						found = append(found, s.Name.Name)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && s.Doc == nil && d.Doc == nil && s.Comment == nil && s.Type == nil {
						found = append(found, s.Names[0].Name)
					}
				}
			}
		}
	}
	return found
}

func TestEveryExportedNameHasAComment(t *testing.T) {
	tests := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), ".", tests, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	files := packages["mx2onnx"].Files
	if len(files) < 5 {
		t.Fatalf("only %d files", len(files))
	}
	for name, file := range files {
		for _, missing := range without(file) {
			t.Errorf("%s: %s has no comment", name, missing)
		}
	}
	bare, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc A() {}\ntype B int\nconst C = 1\nfunc (B) D() {}\n// E is right.\nfunc E() {}\nfunc f() {}", parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if found := strings.Join(without(bare), " "); found != "A B C B.D" {
		t.Errorf("names without a comment are not found: %s", found)
	}
}
