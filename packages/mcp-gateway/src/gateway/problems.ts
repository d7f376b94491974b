/** What operators should know of a server behind a gateway. Clients are told no more than `server` and `reason`. */
export interface GatewayProblem {
  /** What was not done, or not whole. `name-collision`: servers name something the same, so it is not served. */
  readonly code: 'list-incomplete' | 'subscription-failed' | 'log-level-failed' | 'request-failed' | 'name-collision';
  readonly server: string;
  /** A word, such as `timed-out`. */
  readonly reason: string;
  /** For people. May hold text of the server's. */
  readonly message: string;
  readonly cause?: unknown;
}

export type ReportProblem = (problem: GatewayProblem) => void;
