/** Role, principal and servers of a view. */
export interface ViewOptions {
  /**
   * A role of `RegistryOptions.roles`; any other one sees nothing. Default: the default role if there is a
   * `principal`, everything if there is none.
   */
  readonly role?: string;
  /** The principal in audit events. Without a `role` and a default role it sees nothing. */
  readonly principal?: string;
  /** Only tools of these servers, as far as the role may use them. Native tools belong to none. Default: all. */
  readonly servers?: readonly string[];
}
