/**
 * Summaries of reasoning come in parts, each with a bold heading, and this API has nothing that stands between them:
 * `**One****Two**`. The parts are set apart again.
 */
export class BoldHeadings {
  /** Asterisks at the end whose number is not known yet. */
  #stars = '';

  push(text: string): string {
    const whole = this.#stars + text;
    const stars = /\*+$/.exec(whole)?.[0] ?? '';
    this.#stars = stars;
    return apart(whole.slice(0, whole.length - stars.length));
  }

  flush(): string {
    const stars = this.#stars;
    this.#stars = '';
    return stars;
  }
}

function apart(text: string): string {
  return text.replace(/(?<!\*)\*{4}(?!\*)/g, '**\n\n**');
}
