import { expect, test } from 'vitest';
import { bytesOf, checkedMedia } from '../../dashboard/src/tool/checked-media.js';

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');
const png = base64('\x89PNG\r\n\x1a\n and more');

test.each([
  ['image/png', png, 'image', 'image/png'],
  ['IMAGE/PNG', png, 'image', 'image/png'],
  ['image/jpg', base64('\xff\xd8\xff\xe0'), 'image', 'image/jpeg'],
  ['image/webp', base64('RIFF\0\0\0\nWEBPVP8 '), 'image', 'image/webp'],
  ['audio/mp3', base64('ID3\x04'), 'audio', 'audio/mpeg'],
  ['audio/wav', base64('RIFF1234WAVEfmt '), 'audio', 'audio/wav'],
])('%s is shown', (type, data, kind, shownAs) => {
  expect(checkedMedia(type, data)).toEqual({ kind, url: `data:${shownAs};base64,${data}` });
});

test.each([
  ['SVG, which can have scripts', 'image/svg+xml', base64('<svg/>')],
  ['a page', 'text/html', base64('<script/>')],
  ['a page that is said to be an image', 'image/png', base64('<script>x</script>')],
  ['a type with more behind it', 'image/png;x,<script>', png],
  ['a name of every object', 'constructor', png],
  ['no base64', 'image/png', `${png},<b>`],
  ['an address', 'image/png', 'http://attacker.example/x.png'],
  ['no text', 'image/png', 7],
  ['nothing', undefined, undefined],
])('%s is not shown', (_what, type, data) => {
  expect(checkedMedia(type, data)).toBeUndefined();
});

test.each([0, 1, 2, 3, 4, 100])('base64 of %i bytes has that size', (count) => {
  expect(bytesOf(base64('x'.repeat(count)))).toBe(count);
});
