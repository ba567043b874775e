// How the search orders pages: the guides first, then references, then what is about the project.
var Scorer = {
  score: ([page, , , , score]) => score + (/^(start|from|to|do)\//.test(page) ? 8 : /^lookup\/(operators|command-line|limits|c)$/.test(page) ? 6 : page === 'about/contributing' ? 6 : page === 'index' ? 2 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
