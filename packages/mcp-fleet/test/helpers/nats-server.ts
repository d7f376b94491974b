// It is where tests of other packages can use it, too.
export type { NatsServer } from '@x/test-servers';
export { startNatsServer } from '@x/test-servers';
