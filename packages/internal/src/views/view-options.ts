/** Whose view it is, and of which servers. */
export interface ViewOptions {
  /**
   * A role of `RegistryOptions.roles`; any other one sees nothing. Left out: the default role if there is a `principal`,
   * and everything if there is none.
   */
  readonly role?: string;
  /** Who asks, for audit events. With neither a `role` nor a default role a principal sees nothing. */
  readonly principal?: string;
  /** Only tools of these servers, as far as the role may use them. Native tools belong to none. Default: all. */
  readonly servers?: readonly string[];
}
