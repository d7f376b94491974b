/** A failure of a server behind a gateway, for operators. Clients get only `server` and `reason`. */
export interface GatewayProblem {
  /** The operation that failed or is incomplete. `name-collision`: servers use the same name, which is not served. */
  readonly code: 'list-incomplete' | 'subscription-failed' | 'log-level-failed' | 'request-failed' | 'name-collision';
  readonly server: string;
  /** One word, such as `timed-out`. */
  readonly reason: string;
  /** For people. May contain text of the server. */
  readonly message: string;
  readonly cause?: unknown;
}

export type ReportProblem = (problem: GatewayProblem) => void;
