// The search wants every word of a question on one page. Below such pages, those are listed that have the rarest of the words.
{
  const [all, common, most] = [Search._performSearch, 10, 10];
  Search._performSearch = (query, words, excluded, ...rest) => {
    const found = all(query.replace(/[,;?!](?=\s|$)/g, ''), words, excluded, ...rest); // words of the index have none of these
    if (words.size < 2 || found.length >= most) return found;
    const listed = new Set(found.map(([page]) => page));
    const pages = new Map();
    for (const word of words) {
      const results = all('', new Set([word]), excluded, new Set(), new Set());
      const rare = Math.log(1 + Search._index.docnames.length / results.length);
      for (const [page, title, , , score, file, kind] of results.filter(([name]) => !listed.has(name))) {
        const before = pages.get(page)?.[4] ?? 0;
        pages.set(page, [page, title, '', null, before + rare * (score + common), file, kind]);
      }
    }
    const others = [...pages.values()].sort((a, b) => a[4] - b[4]);
    return [...others.slice(found.length - most), ...found]; // the page takes results from the end
  };
}
