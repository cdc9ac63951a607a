// The line at the bottom: how the run is doing, and whether somebody is there.
import { element, number } from './dom.js';

const STATES = {
  connecting: 'connecting …',
  connected: 'connected',
  lost: 'connection lost, trying again …',
  refused: 'no connection: has the command ended, or is the token in the address wrong? Trying again …',
};

export class StatusBar {
  constructor() {
    this.items = {};
    const item = (id, label, title) => {
      this.items[id] = element('output', {}, '–');
      return element('span.item', { title }, element('span.muted', {}, label), this.items[id]);
    };
    this.dot = element('i.dot');
    this.state = element('span');
    this.message = element('span.message');
    this.root = element(
      'footer.status',
      {},
      element('span.item.connection', {}, this.dot, this.state),
      item('factor', 'real time', 'simulated seconds in each second'),
      item('residual', 'residual', 'worst certificate of contact so far'),
      item('contacts', 'contacts', 'contacts now'),
      item('height', 'height', 'of the trunk'),
      this.message,
    );
  }

  connection(state) {
    this.dot.dataset.state = state;
    this.state.textContent = STATES[state];
  }

  update(status) {
    this.items.factor.textContent = status.playing ? `×${number(status.real_time_factor, 3)}` : 'paused';
    this.items.residual.textContent = Number.isFinite(status.residual) ? number(status.residual, 3) : '–';
    this.items.contacts.textContent = status.contacts ?? '–';
    this.items.height.textContent = Number.isFinite(status.height) ? `${status.height.toFixed(3)} m` : '–';
    this.message.textContent = [status.ended ? 'ended' : '', status.message ?? ''].filter(Boolean).join(': ');
  }
}
