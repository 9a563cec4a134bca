import { replacementsOf } from '../versions/replacements.ts';
import { timeline } from '../versions/timeline.ts';
import type { VersionChange } from '../versions/version-change.ts';
import { page, text } from './page.ts';

/** The change record as a page, newest entry first. */
export function changeRecordPage(): string {
  const newestFirst = timeline.toReversed();
  const contents = newestFirst.map(
    ({ version, kind }) =>
      `<li><a href="#_${version}">_${version}</a>${kind === 'BREAKING' ? ' <span class="kind">breaking</span>' : ''}</li>`,
  );
  return page(
    'Waypost change record',
    `<div class="columns"><nav aria-label="Versions"><ul>${contents.join('')}</ul></nav><main><h1>Change record</h1>
<p>Additive changes are available in every version. Breaking changes apply from their version on: clients of older versions
send and receive the old format. <code>waypost versions diff _20210729 _20230115</code> prints the changes between versions.</p>
${newestFirst.map(entrySection).join('')}</main></div>`,
  );
}

function entrySection(entry: VersionChange): string {
  const { version, kind, description, touches } = entry;
  const replaced = replacementsOf(entry).map(
    ({ where, before, now }) =>
      `<tr><td data-label="In">${text(where)}</td><td data-label="Before">${text(before)}</td><td data-label="Now">${text(now)}</td></tr>`,
  );
  return `<section id="_${version}"><h2>_${version} <span class="kind">${kind.toLowerCase()}</span></h2>
<p>${text(description)}</p>
${touches.length > 0 ? `<ul>${touches.map((touched) => `<li>${text(touched)}</li>`).join('')}</ul>` : ''}
${replaced.length > 0 ? `<table><thead><tr><th>In</th><th>Before</th><th>Now</th></tr></thead><tbody>${replaced.join('')}</tbody></table>` : ''}
<p><a href="/docs?v=${version}">The API as of this version</a></p></section>`;
}
