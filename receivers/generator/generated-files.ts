import { fileURLToPath } from 'node:url';
import { csharpEvents } from './csharp.ts';
import { goEvents } from './go.ts';
import { javaEventFactory, javaEvents } from './java.ts';
import { phpEvents } from './php.ts';
import { pythonEvents } from './python.ts';
import { rubyEvents } from './ruby.ts';
import { typescriptEvents } from './typescript.ts';
import { vectorsText } from './vectors.ts';

/** A file in the folder of its receiver, and its current content. */
const generators: [string, () => string][] = [
  ['receiver/events.ts', typescriptEvents],
  ['receivers/python/waypost_receiver/events.py', pythonEvents],
  ['receivers/go/events.go', goEvents],
  ['receivers/php/src/events.php', phpEvents],
  ['receivers/ruby/lib/waypost/receiver/events.rb', rubyEvents],
  ['receivers/java/src/waypost/receiver/WaypostEvent.java', javaEvents],
  ['receivers/java/src/waypost/receiver/EventFactory.java', javaEventFactory],
  ['receivers/csharp/src/Events.cs', csharpEvents],
  ['receivers/vectors.json', vectorsText],
];

export const generatedFiles = () =>
  generators.map(([path, generate]) => ({
    path,
    file: fileURLToPath(new URL(`../../${path}`, import.meta.url)),
    text: generate(),
  }));
