import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generator/generated-files.ts';

/** Generates the event types of all receivers and the test vectors: `node receivers/generate.ts`. */

for (const { file, text } of generatedFiles()) writeFileSync(file, text);
