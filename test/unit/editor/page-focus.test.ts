import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PageFocus } from '../../../src/editor/page-focus.ts';

type Page = number;
type Message = 'focus' | 'has' | 'blur' | 'ready';

/** What happens in the window, and when a message of a page arrives at the host. */
const action = fc.oneof(
  fc.record({ does: fc.constantFrom('focus', 'arrive', 'reload', 'close', 'crash', 'hide'), page: fc.nat({ max: 3 }) }),
  fc.constant({ does: 'leave', page: 0 }),
) as fc.Arbitrary<{ does: 'focus' | 'arrive' | 'reload' | 'close' | 'crash' | 'hide' | 'leave'; page: Page }>;

/** Four pages of which one or none has the focus, as a browser has it, and the messages that are on their way. */
class World {
  readonly host: PageFocus<Page>;
  readonly open = new Set<Page>([0, 1, 2, 3]);
  readonly #crashed = new Set<Page>();
  readonly #underway = new Map<Page, Message[]>();
  readonly #asked = new Set<Page>();
  focused: Page | undefined;

  constructor() {
    this.host = new PageFocus<Page>({ changed: () => undefined, ask: (page) => this.#asked.add(page) });
    for (const page of this.open) this.host.opened(page);
  }

  do(does: string, page: Page): void {
    if (does === 'leave') this.#moveFocus(undefined);
    else if (does === 'arrive') this.#arrive(page);
    else if (!this.open.has(page) || this.#crashed.has(page)) return;
    else if (does === 'focus') this.#moveFocus(page);
    else if (does === 'crash') this.#crash(page);
    else if (does === 'close') this.#close(page);
    else if (does === 'hide') this.#hide(page);
    else this.#reload(page);
  }

  /** Everything that is on its way arrives, and every question is answered. */
  settle(): void {
    for (let round = 0; round < 20; round++) for (const page of [0, 1, 2, 3]) while (this.#arrive(page));
    assert.equal(this.#asked.size, 0, 'questions come to an end');
  }

  #say(page: Page, message: Message): void {
    if (!this.#crashed.has(page)) this.#underway.set(page, [...(this.#underway.get(page) ?? []), message]);
  }

  #moveFocus(to: Page | undefined): void {
    if (this.focused === to) return;
    // VS Code may focus the next page before the one that is left hears of it; each says it for itself.
    if (this.focused !== undefined) this.#say(this.focused, 'blur');
    this.focused = to;
    if (to !== undefined) this.#say(to, 'focus');
  }

  /** It says nothing any more, not even that it has lost the focus; the editor tells nobody. */
  #crash(page: Page): void {
    if (this.focused === page) this.focused = undefined;
    this.#underway.delete(page);
    this.#crashed.add(page);
  }

  #close(page: Page): void {
    if (this.focused === page) this.focused = undefined;
    this.open.delete(page);
    this.host.closed(page);
  }

  #hide(page: Page): void {
    if (this.focused === page) this.#moveFocus(undefined);
    this.host.left(page);
  }

  /** Its document goes without a word; the new one says that it is ready. */
  #reload(page: Page): void {
    if (this.focused === page) this.focused = undefined;
    this.#underway.set(page, []);
    this.#say(page, 'ready');
  }

  #arrive(page: Page): boolean {
    const [message, ...later] = this.#underway.get(page) ?? [];
    if (message !== undefined) {
      this.#underway.set(page, later);
      if (message === 'focus') this.host.focused(page);
      else if (message === 'has') this.host.confirmed(page);
      else this.host.left(page);
      return true;
    }
    if (!this.#asked.delete(page)) return false;
    if (!this.open.has(page) || this.#crashed.has(page)) return false;
    this.#say(page, this.focused === page ? 'has' : 'blur');
    return true;
  }
}

describe('which page has the focus', () => {
  it('is known in the end, in whatever order pages say it, hide, reload and close', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const world = new World();
        for (const { does, page } of actions) if (does !== 'crash') world.do(does, page);
        world.settle();
        assert.equal(world.host.holder, world.focused);
      }),
      { numRuns: 20_000 },
    );
  });

  it('is never a page that crashed, once another page got the focus and lost it', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const world = new World();
        for (const { does, page } of actions) world.do(does, page);
        world.settle();
        const [other] = [...world.open];
        fc.pre(other !== undefined && world.focused === undefined);
        world.do('focus', other);
        fc.pre(world.focused === other);
        world.settle();
        assert.equal(world.host.holder, other);
        world.do('leave', other);
        world.settle();
        assert.equal(world.host.holder, undefined);
      }),
      { numRuns: 5_000 },
    );
  });

  it('does not go when the page before it says late that it lost the focus', () => {
    const world = new World();
    world.do('focus', 0);
    world.do('arrive', 0);
    world.do('focus', 1);
    world.do('arrive', 1);
    world.do('arrive', 0);
    assert.equal(world.host.holder, 1);
  });

  it('is the page that said so last while two pages say that they have it, and no question goes on for ever', () => {
    const asked: number[] = [];
    const host = new PageFocus<number>({
      changed: () => undefined,
      ask: (page) => {
        asked.push(page);
        host.confirmed(page);
      },
    });
    for (const page of [1, 2]) host.opened(page);
    for (const page of [1, 2, 1]) host.focused(page);
    assert.equal(host.holder, 1);
    assert.deepEqual(asked, [1, 2]);
    host.left(1);
    assert.equal(host.holder, 2);
  });

  it('leaves an order of use in which closed pages are not', () => {
    const world = new World();
    for (const page of [2, 0, 3]) {
      world.do('focus', page);
      world.settle();
    }
    assert.deepEqual(world.host.recent, [3, 0, 2, 1]);
    world.do('close', 3);
    world.do('leave', 0);
    assert.deepEqual(world.host.recent, [0, 2, 1]);
    assert.equal(world.host.holder, undefined);
  });
});
