import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import type { ServerRow } from '../../src/control/reports.js';
import { type ServerColumn, serverTable, type TableCommand } from '../../src/output/server-table.js';

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

test('on a wide terminal the last error fills the row', () => {
  const lines = serverTable(rows, { ...plain, command: 'status', stream: { isTTY: true, columns: 120 } })
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/Last error$/);
  expect(lines[2]).toMatch(/^git +✗ failed .* exited \(code 1\) before .*…$/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
});

test('on a narrow terminal no row wraps, and complete errors are below', () => {
  const lines = serverTable(rows, { ...plain, command: 'status', stream: { isTTY: true, columns: 80 } })
    .trimEnd()
    .split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  const below = lines.slice(3).join('').replace(/\s/g, '');
  expect(below).toBe(`git: ${lastError.slice('Server "git" '.length)}`.replace(/\s/g, ''));
});

test('cuts nothing without a terminal', () => {
  expect(serverTable(rows, { ...plain, command: 'status' })).toContain('x'.repeat(200));
});

test('a column is shown by the commands that it names, by default all', () => {
  const columns: readonly ServerColumn[] = [
    { title: 'Server', cell: ({ name }) => name },
    { title: 'Checked', cell: ({ healthCheckedAt = 0 }) => String(healthCheckedAt), only: ['health'] },
    { title: 'Queued', cell: ({ callsQueued }) => String(callsQueued), only: ['status', 'watch'] },
  ];
  const headOf = (command: TableCommand) => serverTable([row('files')], { ...plain, command }, columns).split('\n')[0];
  expect(headOf('health')).toBe('Server  Checked  Last error');
  expect(headOf('status')).toBe('Server  Queued  Last error');
  expect(headOf('watch')).toBe(headOf('status'));
});

test.each(['status', 'watch', 'health'] as const)('every line of mcpx %s has a cell for each column', (command) => {
  const [head = '', ...lines] = serverTable([row('files', { pid: 4711 })], { ...plain, command })
    .trimEnd()
    .split('\n');
  expect(head).toBe('Server  State      Health  Tools  PID   Uptime  Restarts  Memory  Last error');
  expect(lines).toEqual(['files   ● running  ✓       3      4711  -       0         -']);
});
