// Filters the table of operators: by name as MXNet, its Python or this page writes it, by status, group, version and type. The address
// may choose, too: operators.html?name=pool&status=partial,no&group=vision&mxnet=2.0&type=float16
(() => {
  const form = document.getElementById('filter');
  const rows = [...document.querySelectorAll('#operator-table tbody tr')];
  const [text, said] = [form.querySelector('input[type=search]'), form.querySelector('output')];
  const [boxes, lists] = [[...form.querySelectorAll('input[type=checkbox]')], [...form.querySelectorAll('select')]];
  const plain = (name) => name.toLowerCase().replace(/^(mx\.)?(sym|nd|symbol|ndarray|f|np|npx)\.((contrib|image|linalg|random|sparse|op|_internal)\.)?/, '').replace(/^_(contrib|npx|npi|np|image|sparse|linalg)_/, '');
  const names = rows.map((row) => [...row.cells[0].querySelectorAll('code')].flatMap((c) => [c.textContent.toLowerCase(), plain(c.textContent)]));

  // How many characters differ.
  function distance(a, b) {
    let row = [...Array(b.length + 1).keys()];
    for (let i = 1; i <= a.length; i++) {
      const above = row;
      row = [i];
      for (let j = 1; j <= b.length; j++) row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] !== b[j - 1]));
    }
    return row[b.length];
  }

  // Up to three operators with a name like the one that no row has.
  function near(wanted) {
    const found = rows.map((row, i) => [Math.min(...names[i].map((name) => distance(wanted, name))), row.cells[0].querySelector('code').textContent]);
    return found.filter(([far]) => far <= Math.ceil(wanted.length / 3)).sort(([a], [b]) => a - b).slice(0, 3).map(([, name]) => name);
  }

  // Says why no row is shown.
  function explain(wanted) {
    if (names.flat().some((name) => name.includes(wanted))) {
      said.textContent = 'No operator of this name has the status, group, version and type that you chose.';
      return;
    }
    const found = near(wanted);
    said.textContent = `The table has no such operator. ${found.length ? 'Did you mean ' : 'One that is not in it is not converted.'}`;
    found.forEach((name, i) => {
      const link = Object.assign(document.createElement('a'), { href: `#op-${name}`, textContent: name });
      link.addEventListener('click', () => { text.value = name; show(); });
      said.append(i ? ', ' : '', link, i + 1 === found.length ? '?' : '');
    });
  }

  function choose(asked) {
    text.value = asked.get('name') ?? '';
    const states = asked.get('status')?.split(',');
    for (const box of boxes) box.checked = !states || states.includes(box.value);
    for (const list of lists) list.value = [...list.options].map((o) => o.value).find((v) => v === asked.get(list.name)) ?? '';
  }

  function show() {
    const wanted = plain(text.value.trim());
    const states = boxes.filter((box) => box.checked).map((box) => box.value);
    let shown = 0;
    rows.forEach((row, i) => {
      const here = states.includes(row.dataset.status) && names[i].some((n) => n.includes(wanted))
        && lists.every((list) => !list.value || row.dataset[list.name].split(' ').includes(list.value));
      row.hidden = !here;
      shown += here;
    });
    if (shown) said.textContent = `${shown} operator${shown === 1 ? '' : 's'}`;
    else explain(wanted);
  }
  form.hidden = false;
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => event.preventDefault());
  choose(new URLSearchParams(location.search));
  show();
})();
