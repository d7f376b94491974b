import { isRecord } from '@x/internal/json';
import type { z } from 'zod';
import type { ConfigFault } from '../issues.js';

/** Custom zod issues carry the fault in `params`. */
function addFault(context: z.core.$RefinementCtx, fault: ConfigFault, path: (string | number)[] = []): void {
  context.addIssue({ code: 'custom', message: fault.message, path, params: { fault } });
}

export function faultOf(issue: z.core.$ZodIssue): ConfigFault | undefined {
  return issue.code === 'custom' ? (issue.params?.fault as ConfigFault | undefined) : undefined;
}

/** Runs a refinement also on invalid entries, so that all faults are reported together. */
export const always = { when: () => true };

export function checkLaunch(entry: unknown, context: z.core.$RefinementCtx): void {
  if (!isRecord(entry)) return;
  if ('command' in entry && 'url' in entry) {
    const message = 'A server has either a command or a url, not both';
    const hint = 'remove "url" to start the server here, or "command" to reach it over the network';
    addFault(context, { code: 'command-and-url', severity: 'error', message, hint }, ['url']);
    return;
  }
  if (typeof entry.command === 'string' && /^https?:\/\//i.test(entry.command)) {
    const message = 'The command of a server is the program that starts it, and this is a URL';
    const expected = 'a program';
    addFault(context, { code: 'invalid-value', severity: 'error', message, expected, hint: 'write it as "url"' }, [
      'command',
    ]);
  }
  if ('command' in entry || 'url' in entry) return;
  const otherUrl = otherUrlKeys.find((name) => name in entry);
  const key = isRemoteType(entry.type) || otherUrl !== undefined ? 'url' : 'command';
  const message = isRemoteType(entry.type)
    ? 'A server of this type needs a "url"'
    : 'A server needs a "command" or a "url"';
  const example =
    key === 'url' ? 'for example "url": "https://example.com/mcp"' : 'for example command: npx -y <package>';
  const hint =
    otherUrl === undefined ? example : `write "${otherUrl}" as "url"; mcpx import converts files of other programs`;
  addFault(context, { code: 'missing-key', severity: 'error', message, key, hint });
}

/** Keys of `url` in other programs. Their files may also have keys that limit a server, so they are not read as they are. */
const otherUrlKeys = ['baseUrl', 'base_url', 'serverUrl', 'server_url', 'httpUrl'];

/** True if the `type` of a host's entry requires a URL. */
export function isRemoteType(type: unknown): boolean {
  return typeof type === 'string' && type !== 'stdio';
}

export function checkHealthCheck(entry: unknown, context: z.core.$RefinementCtx): void {
  if (!isRecord(entry) || entry.method !== 'tool_call' || 'tool' in entry) return;
  const message = 'A health check with "method: tool_call" needs a "tool"';
  const hint = 'name a tool of this server that is quick and changes nothing, or use "method: ping"';
  addFault(context, { code: 'health-check-without-tool', severity: 'error', message, hint });
}
