import { expect, test } from 'vitest';
import { Problem } from '../../../problems.ts';
import { changedContent, checkContent, newContent } from './post-rules.ts';

const now = new Date('2026-03-01T10:00:00Z');

test('requires a photo on Instagram, except of posts that were stored without one', () => {
  const text = { description: 'Fresh bread', locationIds: [1], directories: ['GOOGLE', 'INSTAGRAM'] };
  const content = newContent(text, now);
  const withPhoto = newContent({ ...text, photos: [{ photo: 'https://lindner.example/bread.jpg' }] }, now);
  const withoutInstagram = newContent({ ...text, directories: ['GOOGLE'] }, now);
  const message = 'Instagram accepts only posts with a photo. Add a photo, or publish on other directories only.';
  const error = new Problem('INVALID_PARAMETER', { errors: [{ field: 'photos', rule: 'minItems', message }] });
  expect(() => checkContent(content)).toThrow(error);
  checkContent(withPhoto);
  checkContent(withoutInstagram);
  expect(() => checkContent(content, withPhoto)).toThrow(error);
  expect(() => checkContent(content, withoutInstagram)).toThrow(error);
  checkContent(changedContent(content, { title: 'Bread' }, now), content);
});
