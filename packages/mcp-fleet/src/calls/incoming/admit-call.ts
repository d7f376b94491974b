import type { ToolCaller } from '@x/internal/contracts';
import { FleetError } from '../../errors.js';
import type { Principal, PrincipalCheck } from '../../principal/principal-check.js';
import type { FleetSource } from '../../source.js';

export type Authorize = (
  principal: ToolCaller & { readonly node: string },
  call: { readonly server: string; readonly tool: string },
) => boolean | Promise<boolean>;

/** Receives local problems that callers must not see. */
export type OnProblem = (problem: { readonly message: string; readonly error?: unknown }) => void;

export interface Admission {
  readonly node: string;
  readonly principals: PrincipalCheck;
  /**
   * Source of a server; `undefined` if this node does not offer it.
   *
   * @throws {FleetError} `node-unreachable`: not available at the moment.
   */
  readonly sources: (server: string) => FleetSource | undefined;
  readonly authorize: Authorize | undefined;
  readonly onProblem: OnProblem;
}

interface RequestedCall {
  readonly edge: string;
  readonly server: string;
  readonly tool: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

export interface AdmittedCall {
  readonly source: FleetSource;
  readonly edgeIncarnation: number;
  readonly caller: ToolCaller;
}

/**
 * Verifies the principal, then authorizes the call.
 *
 * @throws {FleetError} `refused`, `unknown-server`, `node-unreachable`.
 */
export async function admitCall(admission: Admission, call: RequestedCall): Promise<AdmittedCall> {
  const { node, principals, sources, authorize } = admission;
  const { server, edge } = call;
  const principal = await principals.check(call.token, edge, call.signal);
  const caller = callerOf(principal);
  // Check availability first: the holder of a singleton is public within the fleet, and `authorize` may need the tools
  // of a running server.
  sources(server);
  if (authorize !== undefined && !(await isAllowed(admission, authorize, caller, call))) throw unknownTool(node, call);
  const source = sources(server);
  if (source !== undefined) return { source, edgeIncarnation: principal.incarnation, caller };
  if (authorize !== undefined) throw unknownTool(node, call);
  const message = `The node ${node} has no server ${JSON.stringify(server)} for the fleet`;
  throw new FleetError('unknown-server', message, { node, server });
}

/** Identical message for missing and for forbidden tools, so that callers cannot probe for tools. */
export function unknownTool(
  node: string,
  { server, tool }: Pick<RequestedCall, 'server' | 'tool'>,
  code: 'refused' | 'unknown-tool' = 'refused',
): FleetError {
  const message = `There is no tool ${JSON.stringify(tool)} of the server ${JSON.stringify(server)} on the node ${node}`;
  return new FleetError(code, message, { node, server });
}

async function isAllowed(
  { onProblem }: Admission,
  authorize: Authorize,
  caller: ToolCaller,
  { edge, server, tool }: RequestedCall,
): Promise<boolean> {
  try {
    return (await authorize({ node: edge, ...caller }, { server, tool })) === true;
  } catch (error) {
    onProblem({
      message: `A call of the node ${edge} was refused, because authorize failed`,
      error,
    });
    return false;
  }
}

function callerOf({ role, principal }: Principal): ToolCaller {
  return { ...(role === undefined ? {} : { role }), ...(principal === undefined ? {} : { principal }) };
}
