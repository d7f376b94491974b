/** A displayable name of a server, a tool or a role: 1 to 128 printable characters without a space at either end. */
export const shownName = /^(?=[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]{1,128}$)\S(.*\S)?$/u;
