// Filters the table of operators: by name as MXNet, its Python or this page writes it, by status, group, version and type. The address
// may choose, too: operators.html?name=pool&status=partial,no&group=vision&mxnet=2.0&type=float16
(() => {
  const form = document.getElementById('filter');
  const rows = [...document.querySelectorAll('#operator-table tbody tr')];
  const [text, said] = [form.querySelector('input[type=search]'), form.querySelector('output')];
  const [boxes, lists] = [[...form.querySelectorAll('input[type=checkbox]')], [...form.querySelectorAll('select')]];
  const plain = (name) => name.toLowerCase().replace(/^(mx\.)?(sym|nd|symbol|ndarray|f|np|npx)\.(contrib\.)?/, '').replace(/^_(contrib|npx|npi|np|image|sparse|linalg)_/, '');
  const names = rows.map((row) => [...row.cells[0].querySelectorAll('code')].flatMap((c) => [c.textContent.toLowerCase(), plain(c.textContent)]));

  function choose(asked) {
    text.value = asked.get('name') ?? '';
    const states = asked.get('status')?.split(',');
    for (const box of boxes) box.checked = !states || states.includes(box.value);
    for (const list of lists) list.value = [...list.options].map((o) => o.value).find((v) => v === asked.get(list.name)) ?? '';
  }

  function show() {
    const wanted = plain(text.value.trim());
    const states = boxes.filter((box) => box.checked).map((box) => box.value);
    let count = 0;
    rows.forEach((row, i) => {
      const here = states.includes(row.dataset.status) && names[i].some((n) => n.includes(wanted))
        && lists.every((list) => !list.value || row.dataset[list.name].split(' ').includes(list.value));
      row.hidden = !here;
      count += here;
    });
    said.textContent = count ? `${count} operator${count === 1 ? '' : 's'}` : 'The table has no such operator. One that is not in it is not converted.';
  }
  form.hidden = false;
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => event.preventDefault());
  choose(new URLSearchParams(location.search));
  show();
})();
