/**
 * @typedef {object} Line
 * @property {string} name
 * @property {number} price in cents, for one piece
 * @property {number} quantity
 */

/**
 * What the whole cart costs, in cents.
 *
 * @param {readonly Line[]} lines
 * @returns {number}
 */
export function total(lines) {
  let sum = 0;
  for (const line of lines) {
    sum += line.price;
  }
  return sum;
}

/**
 * How many pieces are in the cart.
 *
 * @param {readonly Line[]} lines
 * @returns {number}
 */
export function pieces(lines) {
  return lines.reduce((count, line) => count + line.quantity, 0);
}
