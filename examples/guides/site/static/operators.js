// Filters the table of operators: by name as MXNet, its Python or this page writes it, by status and by group.
(() => {
  const form = document.getElementById('filter');
  const rows = [...document.querySelectorAll('#operator-table tbody tr')];
  const [text, said] = [form.querySelector('input[type=search]'), form.querySelector('output')];
  const plain = (name) => name.toLowerCase().replace(/^(mx\.)?(sym|nd|symbol|ndarray|f|np|npx)\.(contrib\.)?/, '').replace(/^_(contrib|npx|npi|np|image|sparse|linalg)_/, '');
  const names = rows.map((row) => [...row.cells[0].querySelectorAll('code')].flatMap((c) => [c.textContent.toLowerCase(), plain(c.textContent)]));

  function show() {
    const wanted = plain(text.value.trim());
    const group = form.querySelector('select').value;
    const states = new Set([...form.querySelectorAll('input:checked')].map((box) => box.value));
    let count = 0;
    rows.forEach((row, i) => {
      const here = states.has(row.dataset.status) && (!group || row.dataset.group === group) && names[i].some((n) => n.includes(wanted));
      row.hidden = !here;
      count += here;
    });
    said.textContent = count ? `${count} operators` : 'No operator has this name: it is not converted.';
  }
  form.hidden = false;
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => event.preventDefault());
  show();
})();
