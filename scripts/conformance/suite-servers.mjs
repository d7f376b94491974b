// Loaded into the suite before it starts, for the sake of its servers. They would listen on every interface, and here
// listen on this machine alone. And they would close a connection that is idle for 5 s, which on a busy machine meets
// the next request on its way; here they leave it to the client.
import { Server } from 'node:net';

// Where every `listen` ends up that names no host. With a host there would be a lookup first, and the suite wants to
// know the port at once.
const { _listen2: listen } = Server.prototype;

Server.prototype._listen2 = function listenOnLoopback(address, port, addressType, ...rest) {
  if ('keepAliveTimeout' in this) this.keepAliveTimeout = 0;
  const isAnywhere = address === null;
  return listen.call(this, isAnywhere ? '127.0.0.1' : address, port, isAnywhere ? 4 : addressType, ...rest);
};
