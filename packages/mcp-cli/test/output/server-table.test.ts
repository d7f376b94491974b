import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import type { ServerRow } from '../../src/control/reports.js';
import { serverTable } from '../../src/output/server-table.js';

const plain = picocolors.createColors(false);

function row(name: string, fields: Partial<ServerRow> = {}): ServerRow {
  return {
    ...{ name, state: 'running', phase: 'ready', health: 'healthy', autoStart: true, disabled: false },
    ...{ transport: 'stdio', tools: 3, restarts: 0, callsInFlight: 0, callsQueued: 0, junkLines: 0 },
    catalogProblems: [],
    ...fields,
  };
}

const lastError = `Server "git" exited (code 1) before the handshake was over. ${'x'.repeat(200)}`;
const rows = [row('files', { pid: 4711 }), row('git', { state: 'failed', health: 'unknown', lastError })];

test('on a wide terminal the last error is as long as there is room for it', () => {
  const lines = serverTable(rows, { ...plain, columns: 120 })
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/Last error$/);
  expect(lines[2]).toMatch(/^git +✗ failed .* exited \(code 1\) before .*…$/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
});

test('on a narrow one no row wraps, and errors are told below, whole', () => {
  const lines = serverTable(rows, { ...plain, columns: 80 })
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(4);
  for (const line of lines.slice(0, 3)) expect(line.length).toBeLessThanOrEqual(80);
  expect(lines[3]).toBe(`git: ${lastError.slice('Server "git" '.length)}`);
});

test('elsewhere than on a terminal nothing is cut', () => {
  expect(serverTable(rows, plain)).toContain('x'.repeat(200));
});
