/** For `expect.poll`: that processes of a busy machine take their time is no failure. */
export const patiently = { timeout: 20_000 };
