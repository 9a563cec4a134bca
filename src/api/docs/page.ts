import { escaped } from '../../http/html.ts';

/** The layout of documentation pages: plain HTML without scripts. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
<header><a href="/docs">Waypost API</a> <nav><a href="/docs">Reference</a> <a href="/docs/receiving">Receiving events</a> <a href="/docs/changes">Changelog</a></nav></header>
${body}
</body>
</html>`;
}

/** Escapes a value for HTML. */
export const text = (value: unknown): string => escaped(String(value));

const style = `
:root { color-scheme: light dark; --paper: light-dark(#fff, #14181f); --ink: light-dark(#1c212a, #d3d8e0);
  --line: light-dark(#dee2e8, #343b47); --soft: light-dark(#f5f7fa, #1c212a); --quiet: light-dark(#56606b, #a3adb8);
  --link: light-dark(#2f50b8, #8aa5ee); --green: light-dark(#0b6e4f, #63d6a8); --amber: light-dark(#8a5300, #f0b849);
  --red: light-dark(#b3261e, #f2857d); }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { font: 16px/1.5 Inter, system-ui, sans-serif; margin: 0; background: var(--paper); color: var(--ink); }
header { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .2rem 2rem; padding: .8rem 1.5rem;
  border-bottom: 1px solid var(--line); background: var(--paper); }
a { color: var(--link); text-underline-offset: .15em; }
header a, .columns > nav a { text-decoration: none; }
header a:hover, .columns > nav a:hover { text-decoration: underline; }
header > a { font-weight: 700; color: inherit; }
header nav { display: flex; gap: 1.2rem; }
main { max-width: 62rem; min-width: 0; padding: 1.5rem 2rem 4rem; overflow-wrap: anywhere; }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); }
.columns > nav { border-right: 1px solid var(--line); font-size: .93rem; }
.columns > nav ul { list-style: none; margin: 0; padding: 1rem 1.5rem; position: sticky; top: 3.1rem;
  max-height: calc(100vh - 3.1rem); overflow: auto; }
.columns > nav li { padding: .12rem 0; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 .8rem; }
h3 { font-size: 1.05rem; margin: 0 0 .5rem; }
h4 { margin: 1rem 0 .4rem; }
section { border-top: 1px solid var(--line); padding-top: 1.2rem; margin-top: 1.6rem;
  content-visibility: auto; contain-intrinsic-size: auto 40rem; }
section > h2 { margin-top: 0; }
form { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; }
select, button { font: inherit; font-size: .93rem; padding: .25rem .7rem; border: 1px solid var(--line); border-radius: 8px;
  background: var(--soft); color: inherit; }
button { cursor: pointer; }
.method { display: inline-block; min-width: 4.9rem; margin-right: .6rem; padding: .05rem .5rem; border: 1px solid; border-radius: 6px;
  font-size: .8rem; font-weight: 700; text-align: center; color: var(--link); }
.post { color: var(--green); }
.put, .patch { color: var(--amber); }
.delete { color: var(--red); }
ul.calls { list-style: none; margin: 0; padding: .4rem 1rem; background: var(--soft); border-radius: 10px; }
ul.calls li { padding: .25rem 0; font-size: .93rem; color: var(--quiet); }
ul.calls a { color: var(--ink); }
@media (min-width: 50rem) { ul.calls li { padding-left: 5.9rem; } ul.calls .method { margin-left: -5.9rem; } }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem 1rem .35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 600; }
.parameters th:first-child { width: 22%; }
.parameters th:nth-child(2) { width: 8.5rem; }
.parameters th:nth-child(3) { width: 28%; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
pre { background: var(--soft); padding: .8rem 1rem; overflow: auto; border-radius: 10px; overflow-wrap: normal; }
summary { cursor: pointer; }
ul.fields { list-style: none; margin: .3rem 0; padding-left: 1.1rem; border-left: 1px solid var(--line); font-size: .93rem; }
ul.fields li { padding: .1rem 0; }
.kind { font-size: .75rem; border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .6rem; vertical-align: middle; }
p.failures { font-size: .87rem; color: var(--quiet); }
@media (max-width: 50rem) {
  header { position: static; padding: .8rem 1rem; }
  html { scroll-padding-top: 0; }
  .columns { display: block; }
  .columns > nav { border: 0; border-bottom: 1px solid var(--line); }
  .columns > nav ul { position: static; max-height: none; padding: .8rem 1rem; display: flex; flex-wrap: wrap; gap: .1rem 1rem; }
  .columns > nav .kind { padding: 0 .35rem; }
  main { padding: 1rem 1rem 3rem; }
  thead { display: none; }
  tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { display: block; border: 0; padding: 0; }
  td[data-label]:not(:empty)::before { content: attr(data-label) ": "; color: var(--quiet); }
}
`;
