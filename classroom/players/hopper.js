// Hopper in JavaScript (run by node): steps inwards whenever it can, and else makes any move.
const files = "abcdefghikl";
let moves = [];

function ring(cell) {  // how far a cell such as "b3" is from the throne
    const column = files.indexOf(cell[0]) - 5;
    const row = Math.min(5, 5 - column) - Number(cell.slice(1)) + 1;
    return Math.max(Math.abs(column), Math.abs(row), Math.abs(column + row));
}

function isInwards(move) {
    const [from, to] = move.split("-");
    return Boolean(from && to) && ring(to) < ring(from);
}

require("readline").createInterface({input: process.stdin}).on("line", line => {
    const [word, ...rest] = line.split(" ");
    if (word === "agon") {
        console.log("id name Hopper JS\nwants legal\nagonok");
    } else if (word === "legal") {
        moves = rest;
    } else if (word === "go") {
        const inwards = moves.filter(isInwards);
        const choice = inwards.length ? inwards : moves;
        console.log("bestmove " + choice[Math.floor(Math.random() * choice.length)]);
    } else if (word === "quit") {
        process.exit();
    }
});
