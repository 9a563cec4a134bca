import { fileURLToPath } from 'node:url';
import { goEvents } from './go.ts';
import { pythonEvents } from './python.ts';
import { typescriptEvents } from './typescript.ts';
import { vectorsText } from './vectors.ts';

/** A file in the folder of its receiver, and its current content. */
const generators: [string, () => string][] = [
  ['receiver/events.ts', typescriptEvents],
  ['receivers/python/waypost_receiver/events.py', pythonEvents],
  ['receivers/go/events.go', goEvents],
  ['receivers/vectors.json', vectorsText],
];

export const generatedFiles = () =>
  generators.map(([path, generate]) => ({
    path,
    file: fileURLToPath(new URL(`../../${path}`, import.meta.url)),
    text: generate(),
  }));
