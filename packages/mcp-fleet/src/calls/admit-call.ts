import type { ToolCaller } from '@x/internal/contracts';
import { FleetError } from '../errors.js';
import type { Principal, PrincipalCheck } from '../principal/principal-check.js';
import type { FleetSource } from '../source.js';

/** Whether a call may be made. Is asked for each one. */
export type Authorize = (
  principal: ToolCaller & { readonly node: string },
  call: { readonly server: string; readonly tool: string },
) => boolean | Promise<boolean>;

/** Something that went wrong here, and that nobody waits to hear of. */
export type OnProblem = (problem: { readonly message: string; readonly error?: unknown }) => void;

/** Who decides whether a call is taken. */
export interface Admission {
  /** This node. */
  readonly node: string;
  readonly principals: PrincipalCheck;
  /**
   * What may be called here; `undefined` for what the fleet does not have here.
   *
   * @throws {FleetError} `node-unreachable`: not at the moment.
   */
  readonly sources: (server: string) => FleetSource | undefined;
  readonly authorize: Authorize | undefined;
  readonly onProblem: OnProblem;
}

/** Who wants what. */
export interface WantedCall {
  /** The node that calls, as the bus tells it. */
  readonly edge: string;
  readonly server: string;
  readonly tool: string;
  /** Of whom it says it is for. */
  readonly token: string;
  readonly signal: AbortSignal;
}

/** A call that may be made. */
export interface AdmittedCall {
  readonly source: FleetSource;
  /** The incarnation of the node that calls. */
  readonly edgeIncarnation: number;
  readonly caller: ToolCaller;
}

/** @throws {FleetError} `refused`, `unknown-server`, `node-unreachable`. */
export async function admitCall(admission: Admission, wanted: WantedCall): Promise<AdmittedCall> {
  const { node, principals, sources, authorize } = admission;
  const { server, edge } = wanted;
  const principal = await principals.check(wanted.token, edge, wanted.signal);
  const caller = callerOf(principal);
  // Who runs what the fleet runs once is no secret in it, and who decides knows no tools of what does not run.
  sources(server);
  if (authorize !== undefined && !(await isAllowed(admission, authorize, caller, wanted)))
    throw unknownTool(node, wanted);
  const source = sources(server);
  if (source !== undefined) return { source, edgeIncarnation: principal.incarnation, caller };
  if (authorize !== undefined) throw unknownTool(node, wanted);
  const message = `The node ${node} has no server ${JSON.stringify(server)} for the fleet`;
  throw new FleetError('unknown-server', message, { node, server });
}

/** In the same words for a tool that there is not, and for one that is none of the caller's business. */
export function unknownTool(
  node: string,
  { server, tool }: Pick<WantedCall, 'server' | 'tool'>,
  code: 'refused' | 'unknown-tool' = 'refused',
): FleetError {
  const message = `There is no tool ${JSON.stringify(tool)} of the server ${JSON.stringify(server)} on the node ${node}`;
  return new FleetError(code, message, { node, server });
}

async function isAllowed(
  { onProblem }: Admission,
  authorize: Authorize,
  caller: ToolCaller,
  { edge, server, tool }: WantedCall,
): Promise<boolean> {
  try {
    return (await authorize({ node: edge, ...caller }, { server, tool })) === true;
  } catch (error) {
    onProblem({
      message: `A call of the node ${edge} was refused, because it could not be decided whether it may be made`,
      error,
    });
    return false;
  }
}

function callerOf({ role, principal }: Principal): ToolCaller {
  return { ...(role === undefined ? {} : { role }), ...(principal === undefined ? {} : { principal }) };
}
