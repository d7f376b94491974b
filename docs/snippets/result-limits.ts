import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { commentsShown } from './stage/page.js';

const heard = listenToConsole();

// #region limit
import { createRegistry } from '@x/mcp-registry';
import { limitResults } from '@x/mcp-registry/interceptors';

const registry = createRegistry({ interceptors: [limitResults({ maxTokens: 500 })] });
const lines = Array.from({ length: 10_000 }, (_, line) => `${line}: ${line % 999 === 0 ? 'ERROR' : 'ok'}`);
registry.register({ name: 'read_log', description: 'Reads the log' }, () => lines.join('\n'));

const { content } = await registry.call('read_log');
const shown = content.flatMap((block) => ('text' in block ? [String(block.text)] : []));
console.log(shown[0]?.split('\n').slice(0, 2)); // [ '0: ERROR', '1: ok' ]
console.log(shown[0]?.split('\n').at(-1)); // 9999: ok

// The next step of a model.
const id = /"id":"(\w+)"/.exec(shown[1] ?? '')?.[1];
const found = await registry.call('read_mcp_result', { id, pattern: '^9[0-9]{3}: ERROR' });
console.log(found.content[0]); // { type: 'text', text: '88830: 9990: ERROR' }
// #endregion limit

const said = commentsShown('docs/result-limits.md', 'import { createRegistry }');
assert.deepEqual(
  heard.lines,
  said.filter((line) => !line.endsWith('.')),
);

// #region order
import { redactResults, spotlightResults } from '@x/mcp-registry/interceptors';

const guarded = createRegistry({
  interceptors: [
    spotlightResults(), // marks what the others leave
    limitResults(),
    redactResults({ redact: [process.env.API_TOKEN ?? 'hunter2-correct-horse'] }), // gets results first
  ],
});
// #endregion order

guarded.register({ name: 'show', description: 'Shows' }, () => 'It is hunter2-correct-horse.');
assert.deepEqual(await guarded.call('show'), { content: [{ type: 'text', text: 'It is ***.' }] });
await registry.close();
await guarded.close();
