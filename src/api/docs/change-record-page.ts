import { timeline } from '../versions/timeline.ts';
import { page, text } from './page.ts';

/** The change record for people, the newest entry first. */
export function changeRecordPage(): string {
  const entries = timeline.toReversed().map(
    ({ version, kind, description, touches }) =>
      `<section id="_${version}"><h2>_${version} <span class="kind">${kind.toLowerCase()}</span></h2>
<p>${text(description)}</p>
${touches.length > 0 ? `<ul>${touches.map((touched) => `<li><code>${text(touched)}</code></li>`).join('')}</ul>` : ''}
<p><a href="/docs?v=${version}">The API as of this version</a></p></section>`,
  );
  return page(
    'Waypost change record',
    `<main><h1>Change record</h1><p>Additive changes are open in every version. A breaking one is exact: a client of an older
version gets the old shape back and may send it.</p>${entries.join('')}</main>`,
  );
}
