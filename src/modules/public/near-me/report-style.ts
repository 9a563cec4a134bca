export const reportStyle = `
:root { color-scheme: light dark; --paper: light-dark(#fff, #14181f); --ink: light-dark(#1c212a, #d3d8e0);
  --line: light-dark(#dee2e8, #343b47); --soft: light-dark(#f5f7fa, #1c212a);
  --quiet: light-dark(#56606b, #a3adb8); --link: light-dark(#2f50b8, #8aa5ee);
  --good: light-dark(#176b35, #6fd08f); --middling: light-dark(#8a5a00, #f0b849); --poor: light-dark(#b3261e, #f2857d); }
* { box-sizing: border-box; }
body { font: 16px/1.5 Inter, system-ui, sans-serif; margin: 0; background: var(--paper); color: var(--ink); }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2rem 0 .6rem; }
h3 { font-size: 1.05rem; margin: 0 0 .2rem; }
a { color: var(--link); }
.kind { margin: 0; color: var(--quiet); font-weight: 600; }
.where, footer { color: var(--quiet); }
.where { margin: .3rem 0 1.5rem; overflow-wrap: anywhere; }
.card { border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.2rem; margin: 0 0 1rem; }
.card > h2 { margin-top: 0; }
.score { display: grid; grid-template-columns: auto 1fr; gap: 0 1.5rem; align-items: center; background: var(--soft); }
.score h2 { grid-column: 1 / -1; margin-bottom: .2rem; }
.score p { margin: .2rem 0; }
.points { font-size: 3rem; font-weight: 700; line-height: 1.1; }
.points span { font-size: 1rem; font-weight: 400; color: var(--quiet); }
.verdict { font-weight: 600; }
progress { width: 100%; height: 1.2rem; }
.advice { padding-left: 1.4rem; }
.advice li { margin: .35rem 0; }
.good, .found, .match { color: var(--good); }
.middling, .error, .missing { color: var(--middling); }
.poor, .not_found, .mismatch { color: var(--poor); }
.present { color: var(--quiet); }
.mismatch, .missing { font-weight: 600; }
.link { margin: 0 0 .5rem; font-size: .9rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-top: 1px solid var(--line);
  overflow-wrap: anywhere; }
thead th { border-top: 0; color: var(--quiet); font-weight: 600; }
tbody th { font-weight: 400; }
th:first-child { width: 20%; }
th:last-child, td:last-child { width: 6.2rem; padding-right: 0; }
.overview { margin-bottom: 1rem; }
.overview th:first-child { width: 30%; }
.overview th:nth-child(2) { width: 7.5rem; }
.overview th:last-child, .overview td:last-child { width: auto; }
.overview td:nth-child(2) { font-weight: 600; }
@media screen and (max-width: 34rem) {
  main { padding: 1.25rem 1rem 2rem; }
  h1 { font-size: 1.6rem; }
  .score { grid-template-columns: 1fr; }
  .overview { font-size: .85rem; }
  .overview th:nth-child(2) { width: 5.5rem; }
  .fields thead { display: none; }
  .fields tr { display: grid; grid-template-columns: 1fr auto; padding: .5rem 0; border-top: 1px solid var(--line); }
  .fields tbody th, .fields td { border: 0; padding: 0; width: auto; }
  .fields tbody th { font-weight: 600; grid-area: 1 / 1; }
  .fields td:last-child { grid-area: 1 / 2; }
  .fields td[data-label] { grid-column: 1 / -1; }
  .fields tr:has(.match) td[data-label="Your entry"] { display: none; }
  .fields td[data-label]::before { content: attr(data-label) ": "; color: var(--quiet); }
}
@media print {
  :root { color-scheme: light; --paper: #fff; --ink: #000; }
  @page { margin: 16mm; }
  body { font-size: 10pt; line-height: 1.35; }
  main { max-width: none; padding: 1px; }
  .card { break-inside: avoid; border-radius: 0; padding: .6rem .8rem; }
  h2 { break-after: avoid; margin-top: 1.2rem; }
  table { font-size: 9pt; }
  th, td { padding: .12rem .6rem .12rem 0; }
  tr { break-inside: avoid; }
  .link a { color: inherit; text-decoration: none; }
}
`;
