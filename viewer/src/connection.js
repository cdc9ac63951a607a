// The line to the server: WebSocket subprotocol "pronk-1". It comes back by itself.

/**
 * @typedef {object} Listener
 * @property {(hello: any) => void} hello
 * @property {(status: any) => void} status
 * @property {(buffer: ArrayBuffer) => void} frame
 * @property {(series: any) => void} series
 * @property {(parameters: any) => void} parameters
 * @property {() => void} reset
 * @property {(message: string, key?: string) => void} error
 * @property {(state: 'connecting'|'connected'|'lost'|'refused') => void} state
 */

const WAIT = [300, 600, 1200, 2500, 5000]; // ms before each further try

export class Connection {
  /**
   * @param {Listener} listener
   */
  constructor(listener) {
    this.listener = listener;
    this.socket = null;
    this.tries = 0;
    this.everOpen = false;
    this.state = 'connecting';
    this.open();
  }

  /** The address of the page, with its token, gives that of the socket. */
  static address() {
    const address = new URL('ws', window.location.href);
    address.protocol = window.location.protocol === 'https:' ? 'wss:' : 'ws:';
    address.search = '';
    address.hash = '';
    address.searchParams.set('token', new URLSearchParams(window.location.search).get('token') ?? '');
    return address.href;
  }

  open() {
    this.become('connecting');
    const socket = new WebSocket(Connection.address(), 'pronk-1');
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.tries = 0;
      this.everOpen = true;
      this.become('connected');
    };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = () => {
      this.socket = null;
      this.become(this.everOpen ? 'lost' : 'refused');
      const wait = WAIT[Math.min(this.tries++, WAIT.length - 1)];
      setTimeout(() => this.open(), wait);
    };
    this.socket = socket;
  }

  become(state) {
    // While trying again, what went wrong stays on screen.
    if (state === 'connecting' && this.tries > 0) return;
    if (state === this.state && state !== 'connecting') return;
    this.state = state;
    this.listener.state(state);
  }

  /** @param {string|ArrayBuffer} data */
  receive(data) {
    if (data instanceof ArrayBuffer) {
      this.listener.frame(data);
      return;
    }
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      this.listener.error('the server sent a message that is not JSON');
      return;
    }
    switch (message.type) {
      case 'hello':
        this.listener.hello(message);
        break;
      case 'status':
        this.listener.status(message);
        break;
      case 'series':
        this.listener.series(message);
        break;
      case 'parameters':
        this.listener.parameters(message);
        break;
      case 'reset':
        this.listener.reset();
        break;
      case 'error':
        this.listener.error(message.message, message.key);
        break;
      default: // what a later server adds
    }
  }

  /** Send a message; false when there is nobody. */
  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** @param {ArrayBuffer|Blob} data */
  sendBinary(data) {
    this.socket?.send(data);
  }
}
