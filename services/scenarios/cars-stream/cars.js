// The cars that a right answer holds, in their order.
//
// Exports
//   CAR_COUNT               how many cars an answer has
//   expectedCars(first)     the cars of GET /cars?first=<first>
//   isCar(got, id)          whether an object is the car of that id, and nothing more
const MODELS = [
  'e-tron', 'TT Coupé', 'Nova', 'Uno', 'Kuga', 'Pinto', 'Probe', 'Vaneo', 'iMIEV', 'Opa', 'Phaeton',
];
const COMPANIES = ['Audi', 'Toyota', 'VW', 'Ford', 'Kia', 'Fiat', 'Chevrolet', 'Mercedes'];

export const CAR_COUNT = 10;

function carOf(id) {
  return { id, model: MODELS[id % MODELS.length], company: COMPANIES[id % COMPANIES.length] };
}

export function expectedCars(first) {
  return Array.from({ length: CAR_COUNT }, (_, index) => carOf(first + index));
}

export function isCar(got, id) {
  const { model, company } = carOf(id);
  return (
    got.id === id &&
    got.model === model &&
    got.company === company &&
    Object.keys(got).length === 3
  );
}
