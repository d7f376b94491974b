import { describe, expect, test } from 'vitest';
import { checkText, onlyIssue, placesOf, serverOf } from '../helpers/check-text.js';

const withEntry = (entry: string, settings = '{}') =>
  checkText(`mcp_servers:\n  a: { command: x, ${entry} }\nmcp_settings: ${settings}\n`);

describe('defaults', () => {
  test('come from the settings, and an entry overrides them', () => {
    const settings =
      '{ auto_start_default: true, health_check_interval_seconds: 60, startup_timeout_seconds: 20, shutdown_timeout_seconds: 2 }';
    expect(serverOf(withEntry('', settings), 'a')).toMatchObject({
      autoStart: true,
      health: { intervalMs: 60_000 },
      limits: { startupTimeoutMs: 20_000, shutdownTimeoutMs: 2_000 },
    });
    const entry =
      'auto_start: false, health_check_interval_seconds: 10, startup_timeout_seconds: 1, shutdown_timeout_seconds: 30, first_run_timeout_seconds: 300';
    expect(serverOf(withEntry(entry, settings), 'a')).toMatchObject({
      autoStart: false,
      health: { intervalMs: 10_000 },
      limits: { startupTimeoutMs: 1_000, shutdownTimeoutMs: 30_000, firstRunTimeoutMs: 300_000 },
    });
  });

  test('a memory limit in MiB becomes bytes', () => {
    expect(serverOf(withEntry('memory_limit_mb: 512'), 'a')).toMatchObject({ limits: { maxMemoryBytes: 536_870_912 } });
    expect(serverOf(withEntry('max_tools: 50000'), 'a')).toMatchObject({ limits: { maxTools: 50_000 } });
    expect(onlyIssue(withEntry('max_tools: 100001'))).toMatchObject({ code: 'invalid-value' });
    const issue = onlyIssue(withEntry('memory_limit_mb: 8'));
    expect(issue).toMatchObject({ code: 'invalid-value', path: ['mcp_servers', 'a', 'memory_limit_mb'] });
  });

  test('a server has its sharing mode', () => {
    expect(serverOf(withEntry(''), 'a').connections).toBe('shared');
    expect(serverOf(withEntry('connections: per-caller'), 'a').connections).toBe('per-caller');
    expect(onlyIssue(withEntry('connections: per_caller'))).toMatchObject({ code: 'invalid-value' });
  });

  test.each([
    ['eager: true', { eager: true }, { eager: false }],
    ['disabled: true', { disabled: true }, { disabled: false }],
    ['trusted: true', { trusted: true }, { trusted: false }],
    ['max_queued_calls: 0', { limits: { maxQueuedCalls: 0 } }, { limits: { maxQueuedCalls: 64 } }],
    ['queue_timeout_seconds: 90', { limits: { queueTimeoutMs: 90_000 } }, { limits: { queueTimeoutMs: 30_000 } }],
    [
      'first_run_timeout_seconds: 60',
      { limits: { firstRunTimeoutMs: 60_000 } },
      { limits: { firstRunTimeoutMs: 300_000 } },
    ],
    ['max_tools: 5', { limits: { maxTools: 5 } }, { limits: { maxTools: 10_000 } }],
  ])('%s is converted to the unit of the library, and has a default', (line, written, leftOut) => {
    expect(serverOf(withEntry(line), 'a')).toMatchObject(written);
    expect(serverOf(withEntry(''), 'a')).toMatchObject(leftOut);
  });

  test.each([
    ['auto_start: false, eager: true', true],
    ['auto_start: true, disabled: true', false],
    ['eager: true, disabled: true', false],
    ['auto_start: false', false],
  ])('%s: starts automatically: %s', (fields, expected) => {
    const checked = checkText(`mcp_servers: { a: { command: x, ${fields} } }`);
    expect(serverOf(checked, 'a').autoStart).toBe(expected);
  });

  test.each(['max_queued_calls: -1', 'queue_timeout_seconds: 0', 'eager: 1', 'trusted: sure'])(
    '%s is rejected',
    (line) => {
      const [key] = line.split(':');
      expect(onlyIssue(withEntry(line))).toMatchObject({ code: 'invalid-value', path: ['mcp_servers', 'a', key] });
    },
  );

  test('a server has its placement in a fleet, by default pinned to its node', () => {
    expect(serverOf(withEntry('fleet: { placement: singleton }'), 'a').placement).toBe('singleton');
    expect(serverOf(withEntry('fleet: {}'), 'a').placement).toBe('pinned');
    expect(serverOf(withEntry(''), 'a').placement).toBeUndefined();
  });

  test('an unknown placement is an error with its position and the known ones', () => {
    const checked = checkText('mcp_servers:\n  a:\n    command: x\n    fleet:\n      placement: singelton\n');
    expect(onlyIssue(checked)).toMatchObject({
      code: 'invalid-value',
      path: ['mcp_servers', 'a', 'fleet', 'placement'],
      expected: 'pinned or local or singleton or replicated',
      hint: 'did you mean "singleton"?',
      line: 5,
      column: 18,
    });
  });

  test('a server without fields is not started, pinged every 30 seconds and restarted 3 times', () => {
    expect(serverOf(checkText('mcp_servers: { a: { command: x } }'), 'a')).toMatchObject({
      autoStart: false,
      restart: { onFailure: true, maxAttempts: 3 },
      health: { method: 'ping', timeoutMs: 5_000, intervalMs: 30_000 },
      limits: { startupTimeoutMs: 10_000, shutdownTimeoutMs: 5_000 },
    });
  });
});

describe('bounds', () => {
  test.each([
    ['max_restart_attempts', 1, 10],
    ['health_check_interval_seconds', 10, 300],
    ['startup_timeout_seconds', 1, 60],
    ['shutdown_timeout_seconds', 1, 30],
    ['first_run_timeout_seconds', 1, 3600],
  ])('%s is from %d to %d', (key, minimum, maximum) => {
    expect(withEntry(`${key}: ${minimum}`).issues).toEqual([]);
    expect(withEntry(`${key}: ${maximum}`).issues).toEqual([]);
    for (const wrong of [minimum - 1, maximum + 1, minimum + 0.5, `"${minimum}"`, '.inf']) {
      expect(onlyIssue(withEntry(`${key}: ${wrong}`))).toMatchObject({
        code: 'invalid-value',
        expected: expect.stringMatching(new RegExp(`^a whole number( of seconds)? from ${minimum} to ${maximum}$`)),
      });
    }
  });

  test('a health check may take from 1 to 30 seconds', () => {
    for (const seconds of [1, 30])
      expect(withEntry(`health_check: { timeout_seconds: ${seconds} }`).issues).toEqual([]);
    for (const seconds of [0, 31]) {
      expect(onlyIssue(withEntry(`health_check: { timeout_seconds: ${seconds} }`)).code).toBe('invalid-value');
    }
  });
});

describe('health checks', () => {
  const check = (text: string) => serverOf(withEntry(`health_check: ${text}`), 'a').health;

  test('a tool has its own name, with or without that of the server', () => {
    expect(check('{ method: tool_call, tool: a.look, args: { deep: [1] } }')).toEqual({
      method: 'tool_call',
      tool: 'look',
      args: { deep: [1] },
      intervalMs: 30_000,
      timeoutMs: 5_000,
    });
    expect(check('{ method: tool_call, tool: look }')).toMatchObject({ tool: 'look' });
    expect(check('{ method: tool_call, tool: b.look }')).toMatchObject({ tool: 'b.look' });
    expect(check('{ method: tool_call, tool: a. }')).toMatchObject({ tool: 'a.' });
  });

  test('a tool without its method has no effect, with a warning', () => {
    expect(placesOf(withEntry('health_check: { tool: a.look }'))).toEqual(['2:36 ignored-key']);
  });

  test('a misspelled tool is one issue, not two', () => {
    expect(placesOf(withEntry('health_check: { method: tool_call, tol: look }'))).toEqual(['2:55 unknown-key']);
  });
});

describe('names and packages', () => {
  test.each(['""', '" a"', '"a\\tb"', '"a\\e[31m"', `"${'x'.repeat(129)}"`, '"\\u202E"'])(
    '%s is not a name',
    (name) => {
      expect(placesOf(checkText(`mcp_servers: { ${name}: { command: x } }`))).toEqual(['1:16 invalid-value']);
    },
  );

  test.each(['a', 'My Server', 'io.github.ada/files', 'größe', '日本', 'x'.repeat(128)])('%s is a name', (name) => {
    expect(checkText(JSON.stringify({ mcp_servers: { [name]: { command: 'x' } } })).issues).toEqual([]);
  });

  test.each(['@scope/name', 'name', 'name@1.2.3', '@scope/name@^2'])('%s is a package', (name) => {
    expect(withEntry(`package: "${name}"`).issues).toEqual([]);
  });

  test.each(['a; rm -rf ~', '--global', '$(id)', 'a b', ''])(
    '%j is not a package, because it becomes part of a command to copy',
    (name) => {
      expect(onlyIssue(withEntry(`package: "${name}"`)).code).toBe('invalid-value');
    },
  );
});
