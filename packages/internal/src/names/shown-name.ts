/**
 * A name that people and logs can show, of a server, a tool or a role: 1 to 128 printable characters that neither start
 * nor end with a space.
 */
export const shownName = /^(?=[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]{1,128}$)\S(.*\S)?$/u;
