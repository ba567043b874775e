# in: trixie
# files: maven
# A project of Maven with the dependency, out of a repository that is a folder.
apt_install maven openjdk-25-jdk-headless ca-certificates
export JAVA_HOME
JAVA_HOME=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
version=$(ls /with/release/maven/io/github/mx2onnx/mx2onnx)
mkdir -p program/src/main/java
cd program
cat >pom.xml <<P
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>a</groupId><artifactId>program</artifactId><version>1</version>
  <properties><maven.compiler.release>22</maven.compiler.release><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <repositories><repository><id>release</id><url>file:///with/release/maven</url></repository></repositories>
  <dependencies><dependency><groupId>io.github.mx2onnx</groupId><artifactId>mx2onnx</artifactId><version>$version</version></dependency></dependencies>
</project>
P
cat >src/main/java/Main.java <<'J'
import io.github.mx2onnx.*;
import java.nio.file.Path;

public class Main {
  public static void main(String[] args) {
    try (var m = Model.open(Path.of(System.getenv("DIGITS")))) {
      m.inputShape("data", Dim.of(1), Dim.of(1), Dim.of(8), Dim.of(8));
      m.export(Path.of(System.getenv("OUT") + "/jar.onnx"));
    }
  }
}
J
mvn -q -B compile org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies
java --enable-native-access=ALL-UNNAMED -cp "target/classes:$(echo target/dependency/*.jar)" Main
