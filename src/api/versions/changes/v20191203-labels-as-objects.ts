import { described, entries, hidden, isShape, type VersionChange, withField } from '../version-change.ts';

export const labelsAsObjects: VersionChange = {
  version: '20191203',
  kind: 'BREAKING',
  description:
    'Labels are objects {id, name, adminOnly}, and users who are no administrators may create them. Before, they were texts. ' +
    'The completeness of a profile has a classification: REQUIRED, BASIC, ADVANCED or BONUS.',
  touches: ['labels and classification of a location', '/api/labels'],
  shapes: [
    {
      resource: 'Location',
      replaced: {},
      upgrade: (old) => withField(old, 'labels', asObjects),
      downgrade: (today) => withField(hidden(today, 'classification'), 'labels', asTexts),
      describe: (today) =>
        described(today, ['classification', 'labels'], { labels: { type: 'array', items: { type: 'string' } } }),
    },
    {
      resource: 'SocialPost',
      replaced: {},
      upgrade: (old) => withField(old, 'labels', asObjects),
      downgrade: (today) => withField(today, 'labels', asTexts),
      describe: (today) => described(today, ['labels'], { labels: { type: 'array', items: { type: 'string' } } }),
    },
  ],
  calls: [
    {
      call: 'GET /api/labels',
      replaced: {},
      downgradeAnswer: (today) => withField(today, 'labels', asTexts),
    },
  ],
};

function asTexts(labels: unknown): unknown[] {
  return entries(labels).map((label) => (isShape(label) ? label.name : label));
}

function asObjects(labels: unknown): unknown {
  return Array.isArray(labels) ? labels.map((label) => (typeof label === 'string' ? { name: label } : label)) : labels;
}
