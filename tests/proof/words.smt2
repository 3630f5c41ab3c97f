; words.smt2 - what tests/proof/ring.h takes for granted of words and their bits, shown of all bits:
; no word makes any of the claims false. verify-proofs has it done for 64 bits and for 32.
(set-logic QF_BV)
(define-sort Word () (_ BitVec 64))
(define-fun one () Word (_ bv1 64))

; A lap's size is l = 2^k, of 1 to 2^24 steps of 16; (q << k) is q laps, wrapped.
(declare-const k Word)
(define-fun l () Word (bvshl one k))
(define-fun mask () Word (bvsub l (_ bv16 64)))
(assert (and (bvuge k (_ bv4 64)) (bvule k (_ bv28 64))))
(declare-const q Word)
(define-fun lap () Word (bvshl q k))
(declare-const w Word)
(declare-const s Word)
(declare-const p Word)
(declare-const f Word)
(define-fun stamp () Word (bvadd lap f))
(define-fun waited () Word (bvadd stamp (_ bv2 64)))

; There are such words.
(echo "some")
(push)
(assert (and (bvult p l) (bvult s (bvlshr l (_ bv4 64))) (bvule f one)))
(check-sat)
(pop)

(echo "place_bits")
(push)
(assert (bvult s (bvlshr l (_ bv4 64))))
(assert (not (= (bvand (bvadd lap (bvshl s (_ bv4 64))) mask) (bvshl s (_ bv4 64)))))
(check-sat)
(pop)

(echo "place_range")
(push)
(assert (not (and (bvule (bvand w mask) w) (bvule (bvand w mask) mask))))
(check-sat)
(pop)

; No carry out of the word.
(echo "lap_adds")
(push)
(assert (bvult p l))
(assert (not (bvuge (bvadd lap p) lap)))
(check-sat)
(pop)

(echo "waited_off")
(push)
(assert (bvule f one))
(assert (not (and (= (bvand stamp (bvnot (_ bv2 64))) stamp)
	(= (bvand waited (bvnot (_ bv2 64))) stamp) (bvuge waited stamp))))
(check-sat)
(pop)

(echo "waited_on")
(push)
(assert (bvule f one))
(assert (not (and (= (bvor stamp (_ bv2 64)) waited) (= (bvor waited (_ bv2 64)) waited))))
(check-sat)
(pop)

; Of words the difference is a word.
(echo "apart")
(push)
(assert (not (= (= (bvxor w p) (_ bv0 64)) (= w p))))
(check-sat)
(pop)

; `stamp` without a mark, whatever w is.
(echo "apart_by_mark")
(push)
(assert (bvule f one))
(assert (not (= (= (bvxor w stamp) (_ bv2 64)) (and (= w waited) (bvuge waited stamp)))))
(check-sat)
(pop)

(echo "eights")
(push)
(assert (not (= (bvand w (bvnot (_ bv7 64))) (bvsub w (bvurem w (_ bv8 64))))))
(check-sat)
(pop)
