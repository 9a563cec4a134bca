import fc from 'fast-check';

const firstSurrogate = 0xd800;
const surrogates = 0x800;

/**
 * A unit for `fc.string` with the same values as 'binary': all code points except surrogates. 'binary' first creates a
 * map of all of them, which takes 1.5 s.
 */
export const anyCodePoint = fc.nat({ max: 0x10ffff - surrogates }).map(
  (index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
  (text) => {
    const [character, ...others] = typeof text === 'string' ? text : '';
    const point = character?.codePointAt(0);
    if (point === undefined || others.length > 0) throw new Error('Not one code point.');
    if (point < firstSurrogate) return point;
    if (point < firstSurrogate + surrogates) throw new Error('A surrogate.');
    return point - surrogates;
  },
);
