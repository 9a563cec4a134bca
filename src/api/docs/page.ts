import { escaped } from '../../http/html.ts';

/** The frame of every page of the documentation: plain HTML that needs no script. */
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
<header><a href="/docs">Waypost API</a> <nav><a href="/docs">Reference</a> <a href="/docs/changes">Change record</a></nav></header>
${body}
</body>
</html>`;
}

/** Any value as HTML shows it. */
export const text = (value: unknown): string => escaped(String(value));

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dde3, #3a4048); --soft: light-dark(#f4f6f8, #1d2127);
  --link: light-dark(#0b5cad, #7db8f5); }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
header { display: flex; gap: 2rem; padding: .8rem 1.5rem; border-bottom: 1px solid var(--line); }
header a, a { color: var(--link); }
header > a { font-weight: 700; text-decoration: none; }
nav { display: flex; gap: 1rem; }
main { max-width: 62rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
.columns { display: grid; grid-template-columns: 15rem 1fr; }
.columns > nav { display: block; padding: 1rem 1.5rem; border-right: 1px solid var(--line); }
.columns > nav ul { list-style: none; padding: 0; margin: 0; position: sticky; top: 1rem; }
section { border-top: 1px solid var(--line); padding-top: .5rem; margin-top: 1.5rem; }
h3 code { font-size: 1rem; }
.method { display: inline-block; min-width: 4.2rem; font-weight: 700; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
pre { background: var(--soft); padding: .8rem; overflow: auto; border-radius: 6px; }
summary { cursor: pointer; }
ul.fields { list-style: none; padding-left: 1.1rem; border-left: 1px solid var(--line); }
.kind { font-size: .75rem; border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .6rem; }
p.failures { font-size: .9rem; }
@media (max-width: 50rem) { .columns { display: block; } .columns > nav { border: 0; } .columns > nav ul { columns: 2; } }
`;
