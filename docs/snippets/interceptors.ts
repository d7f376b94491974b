import assert from 'node:assert/strict';
import type { ToolSource } from '@x/mcp-registry/sources';

const sent: unknown[] = [];
const github: ToolSource = {
  name: 'github',
  listTools: () => [
    {
      name: 'list_issues',
      inputSchema: {
        type: 'object',
        properties: { owner: { type: 'string' }, repo: { type: 'string' }, limit: { type: 'integer' } },
        required: ['owner', 'repo', 'limit'],
      },
    },
  ],
  async callTool(_, args) {
    sent.push(args);
    return { content: [{ type: 'text', text: 'done' }] };
  },
};

// #region own
import { createRegistry, RegistryError } from '@x/mcp-registry';
import type { Interceptor } from '@x/mcp-registry/interceptors';

const office: Interceptor = {
  name: 'office-hours',
  async call({ tool, note }, next) {
    const hour = new Date().getHours();
    if (tool.annotations?.readOnlyHint !== true && (hour < 7 || hour >= 19)) {
      throw new RegistryError('refused', 'Changes are possible from 7 to 19.');
    }
    note(`allowed at ${hour}`); // appears in the audit event
    return next();
  },
};

const registry = createRegistry({ interceptors: [office] });
// #endregion own
await registry.attach(github).ready;
await registry.close();

// #region ready
import { cacheReads, limitRates, presetArguments } from '@x/mcp-registry/interceptors';

const guarded = createRegistry({
  interceptors: [
    limitRates([{ tools: ['github'], per: 'principal', requests: 30, perMs: 60_000 }]),
    cacheReads({ maxTtlMs: 600_000 }),
    presetArguments([{ tools: ['github.*'], fixed: { owner: 'acme' }, defaults: { limit: 20 } }]),
  ],
});
// #endregion ready
await guarded.attach(github).ready;
const description = await guarded.describe('mcp__github__list_issues');
assert.equal(description?.signature, 'mcp__github__list_issues(repo: string, limit?: integer)');
await guarded.call('mcp__github__list_issues', { repo: 'site' });
assert.deepEqual(sent, [{ repo: 'site', owner: 'acme', limit: 20 }]);
await guarded.close();
