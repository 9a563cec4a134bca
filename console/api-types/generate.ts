import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocument } from './api-document.ts';
import { apiTypesText } from './type-text.ts';

const target = join(import.meta.dirname, '../src/api/api-types.ts');

writeFileSync(target, apiTypesText(await apiDocument()));
