import type { ContentBlock, ToolCallResult } from '@x/internal/contracts';
import { interceptorsOf } from '@x/internal/views';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitResults } from '../../../src/interceptors/result-limits/limit-results.js';
import { createRegistry } from '../../../src/registry.js';

const shortText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc.string({ unit: 'grapheme', maxLength: 3_000 }),
  fc
    .array(fc.constantFrom('\ud83d', '\ude00', 'a', '\n', ' word'), { maxLength: 3_000 })
    .map((parts) => parts.join('')),
  fc.json(),
);
const text = fc
  .tuple(shortText, fc.integer({ min: 1, max: 40 }))
  .map(([each, times]) => each.repeat(times).slice(0, 20_000));
const extras = fc.record(
  {
    annotations: fc.record({ priority: fc.double({ min: 0, max: 1 }) }),
    _meta: fc.dictionary(fc.string(), fc.string()),
    later: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const data = fc.base64String({ maxLength: 2_000 });
const block = fc.tuple(
  extras,
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('text'), text }) },
    fc.record({ type: fc.constantFrom('image', 'audio'), data, mimeType: fc.constant('image/png') }),
    fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: fc.webUrl(), text }) }),
    fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: fc.webUrl(), blob: data }) }),
    fc.record({ type: fc.constant('resource_link'), uri: fc.webUrl(), name: fc.string() }),
    fc.record({ type: fc.constant('later'), of: fc.jsonValue() }),
  ),
);
const result = fc.record(
  {
    content: fc.array(
      block.map(([more, base]) => ({ ...base, ...more })),
      { maxLength: 12, size: 'max' },
    ),
    structuredContent: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 40 }),
    _meta: fc.dictionary(fc.string(), shortText),
    later: fc.jsonValue(),
  },
  { requiredKeys: ['content'] },
);

async function limited(given: ToolCallResult, maxTokens: number) {
  const registry = createRegistry({ interceptors: [limitResults({ maxTokens, maxMediaCharacters: 1_000 })] });
  registry.register({ name: 'answer', description: 'Answers' }, () => given);
  const view = registry.view();
  return { view, result: await view.call('answer') };
}

test('pages give the text of the result, and the resource gives the result, for any content and any limit', async () => {
  const cases = { whole: 0, cut: 0 };
  await fc.assert(
    fc.asyncProperty(result, fc.integer({ min: 500, max: 900 }), async (given, maxTokens) => {
      const before = given as unknown as ToolCallResult;
      const { view, result: after } = await limited(before, maxTokens);
      const link = after.content.at(-1) as { readonly uri?: string } | undefined;
      if (after === before) {
        cases.whole += 1;
        return;
      }
      cases.cut += 1;
      const uri = link?.uri ?? '';
      const id = uri.replace('mcp-result://', '');
      let pages = '';
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const { content } = await view.call('read_mcp_result', { id, offset });
        const [page, note] = content as readonly { readonly text: string }[];
        expect(isCut(page?.text ?? '', before)).toBe(false);
        pages += page?.text;
        const next: string | undefined = /"offset":(\d+)/.exec(note?.text ?? '')?.[1];
        offset = next === undefined ? undefined : Number(next);
      }
      for (const each of before.content) {
        const own = 'text' in each ? each.text : (each as { resource?: { text?: string } }).resource?.text;
        if (typeof own === 'string') expect(pages.includes(own)).toBe(true);
      }
      const pending = { server: undefined, uri, signal: new AbortController().signal };
      const read = await interceptorsOf(view)?.read(pending, () => Promise.reject(new Error('missing')));
      expect(JSON.parse(JSON.stringify(restored(read?.contents as readonly Contents[])))).toEqual(
        JSON.parse(JSON.stringify(before)),
      );
    }),
    { numRuns: 300 },
  );
  expect(cases.cut).toBeGreaterThan(80);
  expect(cases.whole).toBeGreaterThan(10);
});

/** A page that begins or ends in a surrogate pair that the result has. */
function isCut(page: string, { content }: ToolCallResult): boolean {
  const [first, last] = [page.charCodeAt(0), page.charCodeAt(page.length - 1)];
  const beginsInside = first >= 0xdc00 && first <= 0xdfff;
  const endsInside = last >= 0xd800 && last <= 0xdbff;
  const whole = JSON.stringify(content);
  return (beginsInside || endsInside) && !/\\ud[89a-f]/.test(whole);
}

interface Contents {
  readonly text?: string;
  readonly blob?: string;
  readonly _meta?: { readonly 'mcp-registry/block': Readonly<Record<string, unknown>> };
}

function restored(contents: readonly Contents[]) {
  const content: unknown[] = [];
  let others: Readonly<Record<string, unknown>> = {};
  for (const { text: own, blob, _meta: meta } of contents) {
    const rest = meta?.['mcp-registry/block'];
    const { type, resource } = rest ?? { type: 'text' };
    if (type === undefined) content.push(JSON.parse(own ?? '') as ContentBlock);
    else if (type === 'structuredContent') others = { ...others, structuredContent: JSON.parse(own ?? '') };
    else if (type === 'fields') others = { ...others, ...JSON.parse(own ?? '') };
    else if (resource !== undefined) {
      const payload = own === undefined ? { blob } : { text: own };
      content.push({ ...rest, resource: { ...(resource as object), ...payload } });
    } else content.push({ type, ...rest, ...(own === undefined ? { data: blob } : { text: own }) });
  }
  return { content, ...others };
}
