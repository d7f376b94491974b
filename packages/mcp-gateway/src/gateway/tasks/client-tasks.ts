import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import type { ToolSubject, ToolView } from '@x/internal/views';
import type { RolePolicy } from '../../registry.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore } from '../gateway-core.js';
import { rewriteContent, toGatewayUri } from '../naming/gateway-names.js';
import { incompleteMeta } from '../resources-and-prompts/merged-list.js';
import type { GatewayUpstream, ServerPages, UpstreamResult } from '../upstream.js';
import { taskIdOf, withoutEmptyContent, withTaskId } from './task-messages.js';

/** In UTF-16 code units. */
const MAX_ID_LENGTH = 4 * 1024;

interface RoutedTask {
  readonly upstream: GatewayUpstream;
  readonly taskId: string;
  readonly tool: ToolView;
}

/** The tasks of one caller, under that caller's ids. */
export class ClientTasks {
  readonly #core: GatewayCore;
  readonly #owner: string;
  readonly #audience: () => Audience;

  constructor(core: GatewayCore, owner: string, audience: () => Audience) {
    this.#core = core;
    this.#owner = owner;
    this.#audience = audience;
  }

  /** Returns `undefined` for a call that has become no task. */
  register(result: UpstreamResult, tool: ToolView): UpstreamResult | undefined {
    const taskId = taskIdOf(result);
    if (taskId === undefined) return undefined;
    if (taskId.length > MAX_ID_LENGTH) throw idTooLong();
    const { server = '' } = tool;
    const id = this.#idOf(server, taskId);
    this.#core.tasks.add(this.#owner, id, { server, taskId, tool });
    return withTaskId(withoutEmptyContent(result), id);
  }

  /** @throws {ProtocolError} -32602 if it is not the caller's, whether or not it exists. */
  find(id: unknown, policy: RolePolicy): RoutedTask {
    const task = typeof id === 'string' ? this.#core.tasks.find(this.#owner, id) : undefined;
    const upstream = this.#core.upstreams.servers().find(({ name }) => name === task?.server);
    if (task === undefined || upstream === undefined || !policy(task.tool).isAllowed) throw noSuchTask();
    return { upstream, taskId: task.taskId, tool: task.tool };
  }

  toolOf(id: unknown): ToolSubject | undefined {
    return typeof id === 'string' ? this.#core.tasks.find(this.#owner, id)?.tool : undefined;
  }

  /** True for the id of a task, of this caller or of any. */
  isTask(id: unknown): id is string {
    if (typeof id !== 'string') return false;
    const { tasks, upstreams } = this.#core;
    if (tasks.find(this.#owner, id) !== undefined) return true;
    return upstreams.servers().some(({ name }) => tasks.ownerOf(name, id) !== undefined);
  }

  toClient(result: UpstreamResult, { upstream: { name }, taskId }: RoutedTask): UpstreamResult {
    const renamed = withTaskId(result, this.#idOf(name, taskId));
    if (this.#core.policy.names.mode === 'as-is') return renamed;
    const rewrite = (uri: string) => this.#core.policy.names.uri(name, uri);
    // Revision 2026-07-28 has the tool's result in the task; before, it was a response of its own.
    const { result: final } = renamed;
    return rewriteContent(isRecord(final) ? { ...renamed, result: rewriteContent(final, rewrite) } : renamed, rewrite);
  }

  /**
   * Lists the tasks of all servers in one page.
   *
   * @param read - Reads one server's list. Never rejects, but with the request's own signal.
   */
  async list(policy: RolePolicy, read: (upstream: GatewayUpstream) => Promise<ServerPages>): Promise<UpstreamResult> {
    const servers = this.#core.tasks.serversOf(this.#owner);
    const asked = this.#core.upstreams.servers().filter(({ name, session }) => {
      const tasks = session?.capabilities.tasks;
      return servers.has(name) && isRecord(tasks) && tasks.list !== undefined;
    });
    const lists = await Promise.all(asked.map(read));
    const tasks = lists.flatMap(({ server, items }) => items.flatMap((task) => this.#ownOf(server, task, policy)));
    const missing = lists.flatMap(({ server, reason }) => (reason === undefined ? [] : [{ server, reason }]));
    return { tasks, ...incompleteMeta(missing) };
  }

  #ownOf(server: string, task: unknown, policy: RolePolicy): readonly UpstreamResult[] {
    if (!isRecord(task) || typeof task.taskId !== 'string') return [];
    const known = this.#core.tasks.ownerOf(server, task.taskId);
    if (known?.owner !== this.#owner || !policy(known.tool).isAllowed) return [];
    return [withTaskId(task, known.id)];
  }

  /** The id names the server, except with `as-is` names and a single server. */
  #idOf(server: string, taskId: string): string {
    const known = this.#core.tasks.ownerOf(server, taskId);
    if (known?.owner === this.#owner) return known.id;
    const { names } = this.#core.policy;
    const isOnly = names.mode === 'as-is' && this.#core.usedBy(this.#audience()).length === 1;
    return isOnly ? taskId : toGatewayUri({ server, uri: taskId });
  }
}

function idTooLong(): ProtocolError {
  const message = `The server created a task whose id has more than ${MAX_ID_LENGTH} characters`;
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
}

function noSuchTask(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task, or not any more');
}
