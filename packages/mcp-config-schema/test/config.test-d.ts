import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { ConfigIssue, ConfigIssueCode, McpServersFile, mcpServersFileSchema, ServerConfig } from '../src/index.js';

test('the transport tells which fields a server has', () => {
  expectTypeOf<Extract<ServerConfig, { transport: 'stdio' }>['command']>().toEqualTypeOf<string>();
  expectTypeOf<Extract<ServerConfig, { transport: 'http' }>['url']>().toEqualTypeOf<string>();
  expectTypeOf<Extract<ServerConfig, { transport: 'http' }>>().not.toHaveProperty('command');
});

test('the code tells which fields an issue has', () => {
  expectTypeOf<Extract<ConfigIssue, { code: 'unset-variable' }>['variable']>().toEqualTypeOf<string>();
  expectTypeOf<ConfigIssue['severity']>().toEqualTypeOf<'error' | 'warning'>();
});

test('issue codes are a closed set', () => {
  expectTypeOf<ConfigIssueCode>().toEqualTypeOf<
    | 'command-and-url'
    | 'conflicting-tiers'
    | 'duplicate-key'
    | 'duplicate-server'
    | 'empty-file'
    | 'forbidden-key'
    | 'health-check-without-tool'
    | 'ignored-key'
    | 'invalid-value'
    | 'missing-key'
    | 'mixed-file'
    | 'syntax'
    | 'too-deep'
    | 'too-large'
    | 'too-many-servers'
    | 'unknown-key'
    | 'unknown-server'
    | 'unrecognised-file'
    | 'unset-variable'
  >();
});

test('the type of a file is that of its schema', () => {
  expectTypeOf<McpServersFile>().toEqualTypeOf<z.infer<typeof mcpServersFileSchema>>();
});
