import { setTimeout } from "node:timers/promises";

const MODELS = [
  "e-tron",
  "TT Coupé",
  "Nova",
  "Uno",
  "Kuga",
  "Pinto",
  "Probe",
  "Vaneo",
  "iMIEV",
  "Opa",
  "Phaeton",
];
const COMPANIES = ["Audi", "Toyota", "VW", "Ford", "Kia", "Fiat", "Chevrolet", "Mercedes"];
const COUNT = 10;

export async function* cars(first, delayMs) {
  for (let id = first; id < first + COUNT; id += 1) {
    if (delayMs > 0) {
      await setTimeout(delayMs / COUNT);
    }
    yield { id, model: MODELS[id % MODELS.length], company: COMPANIES[id % COMPANIES.length] };
  }
}

export async function* carLines(first, delayMs) {
  for await (const car of cars(first, delayMs)) {
    yield `${JSON.stringify(car)}\n`;
  }
}
