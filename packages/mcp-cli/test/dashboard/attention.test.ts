import { expect, test } from 'vitest';
import { attentionIn } from '../../dashboard/src/views/attention.js';
import type { ServerRow } from '../../src/control/reports.js';
import { serverView } from '../../src/dashboard/page-views.js';
import { serverRow } from '../helpers/dashboard-fleet.js';

const remedyOf = (needs: ServerRow['needs']): string | undefined => {
  const server = serverView(serverRow('echo', { state: 'stopped', needs }), 0);
  const [first] = attentionIn({ servers: [server], approvals: [] }, { pins: undefined, config: undefined });
  return first?.remedy;
};

test('the remedy of a server that is not set up depends on what it needs, not on the text of that', () => {
  expect(remedyOf([{ kind: 'sign-in' }])).toContain('mcpx login');
  expect(remedyOf([{ kind: 'variable', name: 'TOKEN' }])).toContain('.env');
  expect(remedyOf([{ kind: 'program', name: 'a sign-in' }])).toContain('install a missing program');
});
