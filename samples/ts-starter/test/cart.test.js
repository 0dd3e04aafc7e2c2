import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pieces, total } from '../src/cart.js';

const cart = [
  { name: 'Pencil', price: 120, quantity: 3 },
  { name: 'Notebook', price: 450, quantity: 1 },
];

test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0);
});

test('three pencils cost three times the price of one', () => {
  assert.equal(total(cart), 810);
});

test('pieces are counted over all lines', () => {
  assert.equal(pieces(cart), 4);
});
