import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { audit } from '../../console/src/pages/audit/audit-texts.ts';

const source = join(import.meta.dirname, '../../src');
const files = globSync('**/*.ts', { cwd: source })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(source, file), 'utf8'));

const namesIn = (texts: readonly string[], pattern: RegExp) =>
  texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name));

test('the object filter lists the subjects of audit entries', () => {
  const recording = files.filter((text) => /\brecordAudits?\b/.test(text));
  // Cancelled tasks are recorded with their type.
  const ofTasks = files.filter((text) => /\b(?:createTask|taskDefinition)\b/.test(text));
  const subjects = [
    ...namesIn(recording, /\brecordAudit\(.*?, '([A-Z_]+)'(?:, (?:\w+\.)?\w*[iI]d\b|, undefined)/g),
    ...namesIn(recording, /\bsubject(?: =|:) '([A-Z_]+)'/g),
    ...namesIn(ofTasks, /\bconst \w+(?:Type|Task|Export) = '([A-Z_]+)'/g),
  ];
  expect(Object.keys(audit.subjects).toSorted()).toEqual([...new Set(subjects)].toSorted());
});
